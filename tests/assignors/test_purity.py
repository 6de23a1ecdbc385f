"""What `import assignors` brings along, in a process that imported nothing else."""

import subprocess
import sys

SHOW = (
    "import sys; import assignors, assignors.jsonl, assignors.user_data, assignors.curve; "
    "{}; print(*sys.modules)"
)
FOREIGN = {"streaming", "pyspark", "confluent_kafka", "deltalake", "kafka", "aiokafka", "pyarrow"}


def modules_after(action: str) -> set[str]:
    listed = subprocess.run(
        [sys.executable, "-c", SHOW.format(action)], capture_output=True, text=True, check=True
    )
    return {name.partition(".")[0] for name in listed.stdout.split()}


def test_neither_spark_nor_kafka_nor_delta_nor_the_monitor() -> None:
    assert not modules_after("pass") & FOREIGN


def test_no_solver_until_a_flow_is_needed() -> None:
    equal = (
        "p = assignors.Problem.build({'t': 3}, {m: assignors.Member(('t',)) for m in 'ab'}); "
        "[assignors.assign(policy, p) for policy in assignors.POLICIES]; "
        "assignors.measures.moves_to_fairest(p, p.previous)"
    )
    assert "ortools" not in modules_after(equal)
