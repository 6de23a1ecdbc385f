"""`rebalance-monitor` for spark-submit, which starts a file; how, is in `docs/scale.md`."""  # noqa: INP001 - a script

from streaming.cli.main import main

if __name__ == "__main__":
    main()
