"""One module per page: from the query to what the page shows, as data."""
