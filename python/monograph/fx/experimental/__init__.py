"""torch.fx.experimental: transforms of graphs."""
