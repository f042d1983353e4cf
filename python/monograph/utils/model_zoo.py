"""torch.utils.model_zoo: the older name of torch.hub's files."""

from ..hub import _Faketqdm, load_state_dict_from_url as load_url, tqdm

__all__ = ["_Faketqdm", "load_url", "tqdm"]
