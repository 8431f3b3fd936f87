"""The descent of Cawley and Talbot over the parameters of a kernel."""
