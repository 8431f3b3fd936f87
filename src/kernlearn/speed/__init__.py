"""How long a fit takes on this machine, how that grows with the rows, and where a minute ends."""
