"""Cawley and Talbot (2014): kernel learning at the first level of inference."""
