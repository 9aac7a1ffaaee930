"""Where the depth ends: captures until the position is quiet. The result is read as that of `search`."""

from engine.core import order, see, tt
from engine.core.bits import I64, ZERO
from engine.core.board import unmake
from engine.core.jit import kernel
from engine.core.layout import INFINITE, MATE, MATE_BOUND, MAX_PLY, NO_MOVE, NO_SCORE
from engine.core.movegen import is_legal, is_pseudo_legal
from engine.core.nnue import evaluate
from engine.core.node import DRAW, Means, corrected, extend_pv, go, is_draw, is_stopped


@kernel
def quiesce(means: Means, alpha: int, beta: int, ply: int, checks: int) -> int:
    """Search captures and promotions, in check every evasion, until the position is quiet; while `checks` is
    positive, quiet moves that check as well.
    """
    tables, board, worker, evaluator, net, params = means
    worker.pv_length[ply] = ply
    worker.seldepth = max(worker.seldepth, ply)
    if is_stopped(worker):
        return I64(0)
    in_check = board.checkers != ZERO
    if is_draw(tables, board, ply):
        return I64(DRAW)
    if ply >= MAX_PLY:
        return evaluate(tables, board, evaluator, net) if not in_check else I64(0)
    pv_node = beta - alpha > 1

    # Q1. The table
    data = tt.probe(worker, board.key)
    table_move, bound, stored = I64(NO_MOVE), I64(0), I64(0)
    if data != ZERO:
        bound, stored = tt.bound_of(data), tt.score_of(data, ply)
        if params.tt_cutoffs != 0 and not pv_node and tt.decides(bound, stored, alpha, beta):
            return stored
        table_move = tt.move_of(data)
        if not is_pseudo_legal(tables, board, table_move) or (
            not in_check and not order.is_noisy(board, table_move)
        ):
            table_move = I64(NO_MOVE)

    # Q2. Stand pat: nobody is forced to capture, so the static evaluation is a lower bound
    raw, best = I64(NO_SCORE), I64(-MATE + ply)
    futile = I64(-INFINITE)
    if not in_check:
        raw = tt.static_of(data) if data != ZERO else I64(NO_SCORE)
        if raw == NO_SCORE:
            raw = evaluate(tables, board, evaluator, net)
        best = corrected(board, worker, params, raw)
        if params.tt_cutoffs != 0 and data != ZERO:
            if (bound & tt.LOWER and stored > best) or (bound & tt.UPPER and stored < best):
                best = stored
        if best >= beta:
            if data == ZERO:
                tt.keep(worker, board.key, I64(NO_MOVE), best, raw, I64(0), I64(tt.LOWER), I64(0), ply)
            return best
        futile = best + params.qs_futility
    old_alpha = alpha
    alpha = max(alpha, best)

    # Q3. Moves that change material
    best_move, quiets = I64(NO_MOVE), I64(0)
    wanted = (
        I64(order.ALL_QUIETS) if in_check else (I64(order.CHECKS) if checks > 0 else I64(order.NO_QUIETS))
    )
    order.start(worker, ply, table_move)
    while True:
        move = order.pick(tables, board, worker, ply, table_move, params.qs_exchange, wanted)
        if move == NO_MOVE:
            break
        if best > -MATE_BOUND:
            if in_check:
                if quiets >= params.qs_evasions and not order.is_noisy(board, move):
                    continue
            elif not order.is_noisy(board, move):
                if not see.wins(tables, board, move, I64(0)):
                    continue
            elif futile + see.gain(board, move) <= alpha and not see.wins(tables, board, move, I64(1)):
                # Even with the piece it takes, this move does not reach alpha
                best = max(best, min(futile + see.gain(board, move), alpha))
                continue
        if not is_legal(tables, board, move):
            continue
        if in_check and not order.is_noisy(board, move):
            quiets += 1
        go(tables, board, worker, ply, move)
        score = -quiesce(means, -beta, -alpha, ply + 1, checks - 1)
        unmake(board)
        if worker.stop >= worker.ticket:
            return I64(0)
        if score > best:
            best = score
            if score > alpha:
                best_move = move
                alpha = score
                if pv_node:
                    extend_pv(worker, ply, move)
                if score >= beta:
                    break
    bound = (
        I64(tt.LOWER) if best >= beta else (I64(tt.EXACT) if best > old_alpha and pv_node else I64(tt.UPPER))
    )
    tt.keep(worker, board.key, best_move, best, raw, I64(0), bound, I64(1) if pv_node else I64(0), ply)
    return best
