"""When every transfer happens on a real network: one asynchronous engine, four models, two ways of sending.

model  ports     a network that never blocks; only the ports of the ranks are shared (max-plus)
       links     static loads: every link's bytes of a step are spread over its bandwidth
       flow      max-min fair sharing, event by event; equals SimGrid with rendezvous sends
       lockstep  the contrast: a barrier after each step
send   buffered    the sender goes on when its port is free, the receiver when its data is there (NCCL, MPI eager);
                   `slots` bounds how far it may run ahead of a receiver (NCCL has 8)
       rendezvous  both ends of a message wait until it has arrived (MPI for large messages)
"""

from core.network.bound import BelowBound, all_reduce_bound, link_bound
from core.network.conditions import Network, meet
from core.network.engine import MODELS, SENDS, finish, simulate
from core.network.stuck import Stuck
from core.topology import BadTopology

__all__ = [
    "MODELS",
    "SENDS",
    "BadTopology",
    "BelowBound",
    "Network",
    "Stuck",
    "all_reduce_bound",
    "finish",
    "link_bound",
    "meet",
    "simulate",
]
