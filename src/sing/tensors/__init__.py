"""Planning on tensors of PyTorch: walks, training and beams for a GPU, and the same on a CPU."""
