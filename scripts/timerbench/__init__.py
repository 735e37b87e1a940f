"""What the commands of scripts/ share: results and their statistics, charts, the report."""
