"""Files that people bring or take away, one format a file."""
