"""Figures drawn each for itself: where one cannot be drawn, a sentence takes its place."""

from ..read.refusal import InputError
from . import NotDrawable
from .svg import picture_of

MOST_PER_KIND = 4  # datasets with a trajectory, a picture, a basin or a ROC of their own
NOT_DRAWN = "A figure of this section cannot be drawn from these measurements; the tables hold their numbers."


def drawn_or_said(makers):
    """([Drawing], [sentence]) of functions that answer a Drawing each, or None if there is nothing to draw."""
    made = [_made(make) for make in makers]
    drawings = [drawing for drawing in made if not isinstance(drawing, str | None)]
    return drawings, list(dict.fromkeys(said for said in made if isinstance(said, str)))


def _made(make):
    """The Drawing with its picture, None if there is nothing to draw, or a sentence if that fails."""
    try:
        drawing = make()
        if drawing is not None:
            drawing.picture = picture_of(drawing.figure, drawing.name)
        return drawing
    except InputError:
        raise
    except NotDrawable as error:
        return str(error)
    except Exception:  # one odd number must not cost the page
        return NOT_DRAWN


def first_of_kind(names) -> list:
    return list(dict.fromkeys(names))[:MOST_PER_KIND]
