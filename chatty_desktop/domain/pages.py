"""Pages of the web that tools fetch: what one is, and which addresses are out of bounds."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network


@dataclass(frozen=True, slots=True)
class Page:
    """A page as text; `url` is where it was found in the end."""

    url: str
    title: str
    text: str


_CARRIER = ip_network("64:ff9b::/96")
"""IPv6 addresses that stand for the IPv4 address they end in."""


def out_of_bounds(address: str) -> bool:
    """Whether an address is not one of the public internet: this computer, the network it stands
    in, or the addresses under which clouds give out keys. What is no address is out, too."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return True
    return any(not each.is_global or each.is_multicast for each in _meant(parsed))


def _meant(address: IPv4Address | IPv6Address) -> list[IPv4Address | IPv6Address]:
    """The address, and those it stands for."""
    if isinstance(address, IPv4Address):
        return [address]
    if address.ipv4_mapped:
        return [address.ipv4_mapped]
    meant: list[IPv4Address | IPv6Address] = [address]
    if address.sixtofour:
        meant.append(address.sixtofour)
    if address.teredo:
        meant += address.teredo
    if address in _CARRIER:
        meant.append(IPv4Address(int(address) & 0xFFFFFFFF))
    return meant
