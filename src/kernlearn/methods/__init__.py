"""Methods by name (`registry`), and learning from a table with them (`workflow`)."""
