"""Why a schedule is wrong: where it first goes wrong, which transfer is to blame, and what would repair it."""
