def filtered_comprehension(v: List[int]):
    return [k for k in v if k > 1]
