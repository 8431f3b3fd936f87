"""One pipeline over four backends: Gram matrices, landmarks, sparse features, wide factors."""
