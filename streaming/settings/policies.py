"""Section `[policies]`: what live assignments are held against."""

from pydantic import Field

from streaming.settings.section import PolicyName, Section


class ReferencePolicy(Section):
    """Reference policy of the groups that match."""

    groups: str = Field(description="pattern of group ids, with * and ?")
    policy: PolicyName = Field(description="name of a policy")


class JoinedTopics(Section):
    """Groups that join topics by partition number (KIP-315)."""

    groups: str = Field(description="pattern of group ids, with * and ?")
    topics: tuple[tuple[str, ...], ...] = Field(
        default=(),
        description="sets of topics held together; none: those with equal partition counts",
    )


class PoliciesSettings(Section):
    """The assignment policies that groups are measured by."""

    drift: tuple[PolicyName, ...] = Field(
        default=("sticky", "stream-join-sticky"), description="policies for which drift is written"
    )
    reference: tuple[ReferencePolicy, ...] = Field(
        default=(),
        description="reference policy by pattern of groups, the first that matches holds; else "
        "stream-join-sticky for joins and sticky for the rest",
        examples=[[{"groups": "billing-*", "policy": "range"}]],
    )
    joins: tuple[JoinedTopics, ...] = Field(
        default=(),
        description="groups that join topics, the first that matches holds",
        examples=[[{"groups": "ads-*", "topics": [["impressions", "clicks"]]}]],
    )
