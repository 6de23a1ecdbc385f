import socket

from streaming.embedded.ports import LOOPBACK, free_ports


def test_ports_are_distinct_and_can_be_bound() -> None:
    ports = free_ports(20)
    assert len(set(ports)) == 20
    for port in ports:
        with socket.socket() as each:
            each.bind((LOOPBACK, port))
