"""Lab: Catalogue

Every algorithm with what it costs, who uses it and what it is called elsewhere.
"""

import streamlit as st

from core.algorithms import by_collective
from core.catalogue import COLUMNS, Entry, entries, options_text, to_csv
from core.collective import ALL_REDUCE, COLLECTIVES
from core.names import HEADS, NAMES
from core.units import show_bytes
from lessons.parts.facts import compact
from lessons.parts.links import link, linked, one_of, size_field, whole
from lessons.parts.picker import pick_ranks

MOST_RANKS, ROW = 256, 33  # ROW: height of a row in pixels
COUNTED = {  # column: (what is counted, how it is shown)
    "Steps": ("Steps of the schedule, one after another.", "localized"),
    "Messages": ("Messages that the busiest rank sends.", "localized"),
    "Sent (S)": ("What the busiest rank sends, in units of S, the size of the buffer.", "%.3f"),
    "Bytes sent": ("The same in bytes, for the buffer size chosen above.", "localized"),
    "Total (S)": ("What travels over all links together, in units of S.", "%.2f"),
    "Added (S)": ("What the busiest rank adds, in units of S. Switches add for free.", "%.3f"),
}


def main() -> None:
    compact("Catalogue", "Every algorithm we know of, counted on its own schedule. Click a column to sort by it.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        collective = pick_collective()
        world_size = ranks()
        size = size_field("catalogue.size", "1 MiB", width=120)
        every = one_row_per_option()
    rows = counted(collective.name, world_size, size, every)
    table(rows, world_size)
    refusals(rows)
    st.caption(
        f"Steps, messages, S, bytes: **counted** by the engine on the schedules for {world_size} ranks"
        f" with {show_bytes(size)} each. Ranks: found out by asking for 1 to 33. {collective.promise}"
    )
    st.download_button("Table (CSV)", to_csv(rows), f"{collective.name}-{world_size}.csv", on_click="ignore")
    if collective is ALL_REDUCE:
        names(world_size)


def pick_collective():
    choices = list(by_collective())
    name = linked(
        st.selectbox,
        "Collective",
        key="catalogue.collective",
        name="collective",
        default=ALL_REDUCE.name,
        read=one_of(choices),
        options=choices,
        width=180,
    )
    return COLLECTIVES[name]


def ranks() -> int:
    world_size = pick_ranks("catalogue")
    if not 1 <= world_size <= MOST_RANKS:
        st.error(f"{world_size:,} ranks: this page counts schedules for 1 to {MOST_RANKS} ranks. Choose fewer.")
        st.stop()
    return world_size


def one_row_per_option() -> bool:
    return linked(
        st.toggle,
        "A row for every option",
        key="catalogue.every",
        name="every",
        default=False,
        read=lambda text: bool(whole(text)),
        write=lambda value: str(int(value)),
    )


@st.cache_data(max_entries=32, show_spinner="Counting")
def counted(collective: str, world_size: int, size: int, every: bool) -> list[Entry]:
    return entries(COLLECTIVES[collective], world_size, size, every)


def table(rows: list[Entry], world_size: int) -> None:
    """The table, each row with a link that opens it in Explore."""
    taken = [row for row in rows if not row.refusal]
    fields = {head: [getattr(row, name) for row in taken] for name, head in COLUMNS.items()}
    fields["Options"] = [options_text(row.options) for row in taken]
    opens = [link("explore", algorithm=row.name, ranks=world_size, **row.options) for row in taken]
    shape = {
        "Algorithm": st.column_config.TextColumn(pinned=True, width=230),
        "Options": st.column_config.TextColumn(width=200),
        "Extra buffer": st.column_config.TextColumn(width=230),
        "Ranks": st.column_config.TextColumn(width=140),
        "Used by": st.column_config.TextColumn(width="large"),
        "Watch": st.column_config.LinkColumn(
            help="Opens it in Explore, on a new page.", display_text="Watch", width=70
        ),
    }
    for head, (meaning, form) in COUNTED.items():
        shape[head] = st.column_config.NumberColumn(help=f"{meaning} [counted]", format=form)
    if not any(fields["Options"]):
        del fields["Options"]
    st.dataframe(
        {"Algorithm": fields.pop("Algorithm"), "Watch": opens, **fields},
        column_config=shape,
        hide_index=True,
        row_height=ROW,
        height=min(ROW * (len(taken) + 1) + 3, 640),
        alt=f"{len(taken)} algorithms with their steps, messages, bytes, additions, memory and users",
    )


def refusals(rows: list[Entry]) -> None:
    """Those that cannot work with so many ranks, and why."""
    if refused := [row for row in rows if row.refusal]:
        with st.expander(f"Not possible here: {len(refused)}"):
            st.markdown(
                "\n".join(
                    f"- {' '.join(filter(None, (row.name, options_text(row.options))))}: {row.refusal}"
                    for row in refused
                )
            )


def names(world_size: int) -> None:
    """The same algorithm under its names in libraries and papers."""
    st.subheader("Which is it called?", divider="gray")
    st.caption(
        "Read in the sources of NCCL 2.30, Open MPI 6.1, MPICH, Gloo, UCC, oneCCL and in the papers. [published]"
    )
    columns = {head: [getattr(row, field) for row in NAMES] for field, head in HEADS.items()}
    first = next(iter(columns))
    columns[first] = [f"[{name}]({link('explore', algorithm=name, ranks=world_size)})" for name in columns[first]]
    st.table(columns, border="horizontal", hide_index=True)


main()
