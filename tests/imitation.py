"""An imitation of torch.distributed: the ranks are threads, and as with NCCL nothing arrives before all have asked."""

import queue
import threading
import time
from types import SimpleNamespace

import pytest

from core.run.threads import Hall, ThreadGroup

torch = pytest.importorskip("torch")
PATIENCE = 20  # seconds after which the imitation calls it a deadlock


class World:
    """What the imitations of torch.distributed in the threads of one test have in common."""

    def __init__(self, size):
        self.size, self.lock = size, threading.Lock()
        self.halls = {None: Hall(size)}
        self.mail = {}  # (group, src, dst) -> queue of (tensor, sign that it was taken): no tags

    def hall(self, key, size):
        with self.lock:
            return self.halls.setdefault(key, Hall(size))

    def box(self, *key):
        with self.lock:
            return self.mail.setdefault(key, queue.Queue())


class Dist:
    """torch.distributed as NCCL makes it, seen from one rank: batches, one work for each, order per pair only.

    A message is handed over when both sides are there: the sender's memory is read by the receiver's wait.
    """

    ReduceOp = SimpleNamespace(SUM=torch.add, PRODUCT=torch.mul, MAX=torch.maximum, MIN=torch.minimum)

    def __init__(self, world, rank):
        self.world, self.rank, self.groups, self.batches = world, rank, 0, 0

    def P2POp(self, op, tensor, peer, group=None):
        assert tensor.numel() > 0
        return SimpleNamespace(op=op, tensor=tensor, peer=peer, group=group)

    def isend(self): ...

    def irecv(self): ...

    def batch_isend_irecv(self, batch):
        self.batches += 1
        signs = []
        for message in batch:
            if message.op == self.isend:
                signs.append(threading.Event())
                self.world.box(message.group, self.rank, message.peer).put((message.tensor, signs[-1]))

        def wait():
            for message in batch:
                if message.op == self.irecv:
                    box = self.world.box(message.group, message.peer, self.rank)
                    tensor, sign = box.get(timeout=PATIENCE)
                    assert tensor.shape == message.tensor.shape, "a message was mistaken for another one"
                    message.tensor.copy_(tensor)
                    sign.set()
            assert all(sign.wait(PATIENCE) for sign in signs), "nobody takes what was sent"

        return [SimpleNamespace(wait=wait)]

    def new_group(self, ranks=None, backend=None, timeout=None):
        self.groups += 1
        size = self.world.size if ranks is None else len(ranks)
        self.world.hall(self.groups, size)
        return self.groups

    def seat(self, group):
        return ThreadGroup(self.world.halls[group], self.rank)

    def barrier(self, group=None):
        self.seat(group).barrier()

    def gather_object(self, value, values, dst, group=None):
        found = self.seat(group).gather(value)
        if found is not None:
            values[:] = found

    def broadcast_object_list(self, box, src, group=None):
        box[0] = self.seat(group).share(box[0])

    def all_reduce(self, tensor, op, group=None):
        everyone = self.seat(group).share(self.seat(group).gather(tensor.clone()))
        total = everyone[0].clone()
        for other in everyone[1:]:
            total = op(total, other)
        tensor.copy_(total)


def on_every_rank(size, work, patience=60):
    """work(rank) in `size` threads; what they return. The first error is raised."""
    results, errors = [None] * size, []

    def body(rank):
        try:
            results[rank] = work(rank)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=body, args=(rank,), daemon=True) for rank in range(size)]
    for thread in threads:
        thread.start()
    until = time.monotonic() + patience
    for thread in threads:
        while thread.is_alive() and not errors and time.monotonic() < until:
            thread.join(0.02)
    if errors:
        raise errors[0]
    assert not any(thread.is_alive() for thread in threads), "the ranks wait for each other for ever"
    return results
