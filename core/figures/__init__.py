"""One file per figure. The only place in core for plotly."""
