from ginref_client import Bot, Discard, Move, SeatView, main


class First(Bot):
    def choose(self, view: SeatView) -> Move:
        if view.drawn is None:
            if view.draw_upcard and view.upcard_saves >= 5:
                return view.draw_upcard
            return view.pass_turn or view.draw_stock or view.legal[0]
        if view.best_knock:
            return view.best_knock
        safe = [d for d in view.discards[:3] if not view.wanted(d.card)]
        return Discard((safe or view.discards)[0].card)


if __name__ == "__main__":
    main(First)
