"""What pages share. The only place, with the pages themselves, for Streamlit."""
