"""Colours that figures and the page in three dimensions share."""

MUTED = "#666666"
GOOD, BAD = "#0072B2", "#D55E00"  # right and wrong poses
VERDICT_LOOKS = {"ok": (GOOD, "o"), "doubtful": ("#E69F00", "^"), "lost": (BAD, "X"), "": (MUTED, "d")}
