"""Small general optimisers, and the coroutines that batch them."""
