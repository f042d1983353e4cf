def tensor_assignment(x):
    y = x.clone()
    y[0] = 1
    y[1, 2] = 5.0
    y[2] = torch.ones(4)
    y[:, 0] = 7
    return y
