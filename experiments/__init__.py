"""What people run: CLI, evaluation, training, studies, reports, bench, bound."""
