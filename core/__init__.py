"""The engine: schedules of collectives, and everything that reads them. Knows nothing of Streamlit."""
