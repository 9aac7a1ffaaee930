"""The search: one depth a call, no clock, no print. It counts nodes and looks at a number in memory.

`search` and `quiesce` return r with  r <= alpha  or  alpha < r < beta (exact)  or  r >= beta, from the side
to move's point of view. Once the worker's ticket is stopped the result is meaningless and the driver drops
the depth.

One long function, because it is one thought: twelve numbered steps, each with its reason. Its numbers are
fields of the parameter record (`engine/params.py`). Constants handed to a recursive call are typed: a literal
there would make Numba's cached code fail to load in the next process.
"""

from engine.core import order, see, tt
from engine.core.bits import I64, ZERO
from engine.core.board import has_pieces, make_null, unmake, unmake_null
from engine.core.jit import Record, kernel
from engine.core.layout import (
    HISTORY_PLIES,
    INFINITE,
    MATE,
    MATE_BOUND,
    MAX_MOVES,
    MAX_PLY,
    NO_MOVE,
    NO_ROW,
    NO_SCORE,
)
from engine.core.movegen import is_legal, is_pseudo_legal
from engine.core.nnue import evaluate
from engine.core.node import DRAW, Means, corrected, extend_pv, go, is_draw, is_stopped
from engine.core.quiesce import quiesce

ONE_PLY = 1024
LMR_LAST = 63


@kernel
def _root_index(worker: Record, move: int) -> int:
    """Where a move stands among those the root may play, or -1."""
    for i in range(worker.root_count):
        if worker.root_moves[i] == move:
            return i if worker.root_done[i] == 0 else -1
    return -1


@kernel
def _learn(
    board: Record,
    worker: Record,
    params: Record,
    ply: int,
    depth: int,
    best_move: int,
    quiets: int,
    noisies: int,
) -> None:
    """A move has failed high: reward it and punish those tried before it in vain."""
    bonus = min(params.bonus_slope * depth - params.bonus_offset, params.bonus_most)
    if bonus <= 0:
        return
    if order.is_noisy(board, best_move):
        order.reward_noisy(board, worker, best_move, bonus)
    else:
        if worker.killers[ply, 0] != best_move:
            worker.killers[ply, 1] = worker.killers[ply, 0]
            worker.killers[ply, 0] = best_move
        order.reward_quiet(board, worker, ply, best_move, bonus)
        for i in range(quiets):
            order.reward_quiet(board, worker, ply, I64(worker.tried[ply, i]), -bonus)
    for i in range(noisies):
        order.reward_noisy(board, worker, I64(worker.tried[ply, MAX_MOVES - 1 - i]), -bonus)


@kernel
def search(means: Means, depth: int, alpha: int, beta: int, ply: int, cut: int) -> int:
    """`cut` says that a fail-high is expected here: its siblings' first moves have failed low."""
    tables, board, worker, evaluator, net, params = means

    # Step 1. Horizon
    if depth <= 0:
        return quiesce(means, alpha, beta, ply, params.qs_checks)
    worker.pv_length[ply] = ply
    worker.seldepth = max(worker.seldepth, ply)
    root, pv_node = ply == 0, beta - alpha > 1
    in_check = board.checkers != ZERO
    excluded = worker.excluded[ply]

    # Step 2. Leave when told to; draws; the shortest mate found elsewhere cannot be beaten here
    if is_stopped(worker):
        return I64(0)
    if not root:
        if is_draw(tables, board, ply):
            return I64(DRAW)
        if ply >= MAX_PLY - 1:
            return evaluate(tables, board, evaluator, net) if not in_check else I64(0)
        alpha = max(alpha, I64(-MATE + ply))
        beta = min(beta, I64(MATE - ply - 1))
        if alpha >= beta:
            return alpha

    # Step 3. The table. Near the fifty-move limit a score from another path may be too good to be true
    data = tt.probe(worker, board.key) if excluded == NO_MOVE else ZERO
    table_move, table_depth, bound, stored = I64(NO_MOVE), I64(-1), I64(0), I64(0)
    table_pv = pv_node
    if data != ZERO:
        table_depth, bound, stored = tt.depth_of(data), tt.bound_of(data), tt.score_of(data, ply)
        table_pv = table_pv or tt.was_pv(data)
        if (
            params.tt_cutoffs != 0
            and not pv_node
            and table_depth >= depth
            and board.rule50 < 90
            and tt.decides(bound, stored, alpha, beta)
        ):
            return stored
        table_move = tt.move_of(data)
        if not is_pseudo_legal(tables, board, table_move):
            table_move = I64(NO_MOVE)
    if root and worker.root_line > 0:
        table_move = I64(NO_MOVE)

    # Step 4. Static evaluation, corrected by experience and, where it is a better bound, by the table
    raw, static = I64(NO_SCORE), I64(NO_SCORE)
    guess = I64(-INFINITE)
    improving = False
    worker.cut_count[ply + 1] = 0
    if excluded != NO_MOVE:
        static = worker.evals[ply]
        guess = static
    elif not in_check:
        raw = tt.static_of(data) if data != ZERO else I64(NO_SCORE)
        if raw == NO_SCORE:
            raw = evaluate(tables, board, evaluator, net)
        static = corrected(board, worker, params, raw)
        guess = static
        if data != ZERO and ((bound & tt.LOWER and stored > guess) or (bound & tt.UPPER and stored < guess)):
            guess = stored
    worker.evals[ply] = static
    if not in_check and ply < 2:
        improving = True
    elif not in_check:
        before = worker.evals[ply - 2]
        if before == NO_SCORE and ply >= 4:
            before = worker.evals[ply - 4]
        improving = before == NO_SCORE or static > before
    if not root:
        worker.doubled[ply] = worker.doubled[ply - 1]

    # Step 5. Cuts on the evaluation alone, where no line is expected
    if not pv_node and not in_check and excluded == NO_MOVE and abs(beta) < MATE_BOUND:
        # 5a. Razoring: so far below alpha that only captures could help; ask quiescence
        if depth <= params.razor_depth and guess + params.razor_base + params.razor_slope * depth <= alpha:
            score = quiesce(means, alpha, alpha + 1, ply, params.qs_checks)
            if score <= alpha:
                return score
            worker.pv_length[ply] = ply

        # 5b. Reverse futility: so far above beta that no shallow search will bring it down
        margin = params.rfp_margin * depth - (params.rfp_improving if improving else 0)
        if depth <= params.rfp_depth and guess - margin >= beta and guess < MATE_BOUND:
            return (guess + beta) // 2

        # 5c. Null move: if we can pass and still beat beta, a move will. Not with bare pawns: zugzwang
        if (
            depth >= params.nmp_depth
            and guess >= beta
            and static >= beta - 20 * depth + 160
            and ply >= worker.null_ply
            and board.nulls > 0
            and has_pieces(board, board.side)
        ):
            less = (
                params.nmp_base
                + depth // params.nmp_divisor
                + min((guess - beta) // params.nmp_eval_divisor, 3)
            )
            worker.played[ply + HISTORY_PLIES] = NO_ROW
            make_null(tables, board)
            tt.touch(worker, board.key)
            score = -search(means, depth - less, -beta, -beta + 1, ply + 1, I64(1) - cut)
            unmake_null(board)
            if worker.stop >= worker.ticket:
                return I64(0)
            if score >= beta:
                if score >= MATE_BOUND:
                    score = beta
                if depth < params.nmp_verify_depth or worker.null_ply > 0:
                    return score
                # At high depth make sure: the same reduced search without null moves near the root of it
                worker.null_ply = ply + 3 * (depth - less) // 4
                sure = search(means, depth - less, beta - 1, beta, ply, I64(0))
                worker.null_ply = 0
                if sure >= beta:
                    return score

        # 5d. Probcut: a capture that beats a raised beta at reduced depth will beat beta at full depth
        raised = beta + params.probcut_margin
        if depth >= params.probcut_depth and not (
            data != ZERO and table_depth >= depth - 3 and stored < raised
        ):
            probe_move = table_move if order.is_noisy(board, table_move) else I64(NO_MOVE)
            order.start(worker, ply, probe_move)
            while True:
                move = order.pick(
                    tables, board, worker, ply, probe_move, raised - static, I64(order.NO_QUIETS)
                )
                if move == NO_MOVE:
                    break
                if not is_legal(tables, board, move):
                    continue
                go(tables, board, worker, ply, move)
                score = -quiesce(means, -raised, -raised + 1, ply + 1, I64(0))
                if score >= raised:
                    score = -search(means, depth - 4, -raised, -raised + 1, ply + 1, I64(1) - cut)
                unmake(board)
                if worker.stop >= worker.ticket:
                    return I64(0)
                if score >= raised:
                    tt.keep(worker, board.key, move, score, raw, depth - 3, I64(tt.LOWER), I64(0), ply)
                    return score

    # Step 6. Internal iterative reduction: without a move from the table the order is poor, so look less deep
    if depth >= params.iir_depth and table_move == NO_MOVE and excluded == NO_MOVE and (pv_node or cut != 0):
        depth -= 1

    # Step 7. Every move
    best, best_move = I64(-INFINITE), I64(NO_MOVE)
    tried, quiets, noisies = I64(0), I64(0), I64(0)
    table_noisy = table_move != NO_MOVE and order.is_noisy(board, table_move)
    order.find_checks(tables, board, worker, ply)
    order.start(worker, ply, table_move)
    while True:
        move = order.pick(tables, board, worker, ply, table_move, I64(0), I64(order.ALL_QUIETS))
        if move == NO_MOVE:
            break
        if move == excluded or not is_legal(tables, board, move):
            continue
        index = I64(0)
        if root:
            index = _root_index(worker, move)
            if index < 0:
                continue
        tried += 1
        noisy = order.is_noisy(board, move)
        gives_check = order.gives_check(tables, board, worker, ply, move)
        history = (
            order.capture_history(board, worker, move)
            if noisy
            else order.quiet_history(board, worker, ply, move)
        )
        reduction = params.lmr[min(depth, LMR_LAST), min(tried, LMR_LAST)]

        # Step 8. Cuts of late moves at low depth, once a line that is not lost is in hand
        if not root and best > -MATE_BOUND and has_pieces(board, board.side):
            shallow = max(depth - 1 - reduction // ONE_PLY, I64(0))
            if not noisy and not gives_check:
                # 8a. Late-move pruning: good order makes a late quiet move unlikely to matter
                count = params.lmp_base + depth * depth
                if depth <= params.lmp_depth and tried > (count if improving else count // 2):
                    order.skip_quiets(worker, ply)
                # 8b. Futility: too far below alpha for a quiet move that gives no check
                if (
                    not in_check
                    and shallow < params.futility_depth
                    and static + params.futility_base + params.futility_slope * shallow + history // 128
                    <= alpha
                ):
                    continue
                # 8c. Moves that have failed in many like positions
                if shallow < params.history_depth and history < -params.history_margin * (shallow + 1):
                    continue
                # 8d. Moves that lose material
                if shallow < params.see_depth and not see.wins(
                    tables, board, move, -params.see_quiet * shallow * shallow
                ):
                    continue
            elif depth < params.see_depth and not see.wins(
                tables, board, move, -params.see_noisy * depth - history // 32
            ):
                continue

        # Step 9. Singular extension: the table's move is searched deeper if all others fall short of it
        extension = I64(0)
        if (
            not root
            and move == table_move
            and excluded == NO_MOVE
            and depth >= params.singular_depth
            and ply < 2 * worker.root_depth
            and table_depth >= depth - 3
            and bound & tt.LOWER
            and abs(stored) < MATE_BOUND
        ):
            bar = stored - params.singular_margin * depth // 16
            worker.excluded[ply] = move
            score = search(means, (depth - 1) // 2, bar - 1, bar, ply, cut)
            worker.excluded[ply] = NO_MOVE
            if worker.stop >= worker.ticket:
                return I64(0)
            order.resume(worker, ply)
            worker.pv_length[ply] = ply
            if score < bar:
                extension = I64(1)
                if (
                    not pv_node
                    and score < bar - params.double_margin
                    and worker.doubled[ply] < params.double_limit
                ):
                    extension = I64(2)
            elif bar >= beta:
                return bar  # several moves beat beta
            elif stored >= beta:
                extension = I64(-2)
            elif cut != 0:
                extension = I64(-1)

        # Step 10. Make it and search: the first move with the whole window, later ones to be refuted
        nodes_before = worker.nodes
        killer = move in (worker.killers[ply, 0], worker.killers[ply, 1])
        next_depth = depth - 1 + extension
        if extension == 2:
            worker.doubled[ply] += 1
        go(tables, board, worker, ply, move)
        score = I64(-INFINITE)
        full = tried == 1 and pv_node
        if depth >= params.lmr_least_depth and tried > (3 if root else 1):
            # 10a. Late moves are first tried at reduced depth
            if noisy:
                reduction -= params.lmr_capture + history * params.lmr_history // 128
            else:
                reduction -= history * params.lmr_history // 128
                if killer:
                    reduction -= params.lmr_killer
                if table_noisy:
                    reduction += params.lmr_noisy_move
            if table_pv:
                reduction -= params.lmr_pv
            if cut != 0:
                reduction += params.lmr_cut
            if not improving:
                reduction += params.lmr_improving
            if gives_check:
                reduction -= params.lmr_check
            if worker.cut_count[ply + 1] > 3:
                reduction += params.lmr_children
            reduced = max(min(next_depth - reduction // ONE_PLY, next_depth), I64(1))
            score = -search(means, reduced, -alpha - 1, -alpha, ply + 1, I64(1))
            if score > alpha and reduced < next_depth:
                next_depth += I64(1) if score > best + params.deeper_margin else I64(0)
                next_depth -= I64(1) if score < best + next_depth else I64(0)
                if reduced < next_depth:
                    score = -search(means, next_depth, -alpha - 1, -alpha, ply + 1, I64(1) - cut)
            full = pv_node and score > alpha
        elif not full:
            score = -search(means, next_depth, -alpha - 1, -alpha, ply + 1, I64(1) - cut)
            full = pv_node and score > alpha
        if full:
            score = -search(means, next_depth, -beta, -alpha, ply + 1, I64(0))
        unmake(board)
        if extension == 2:
            worker.doubled[ply] -= 1
        if worker.stop >= worker.ticket:
            return I64(0)
        if root:
            worker.root_nodes[index] += worker.nodes - nodes_before

        # Step 11. Is it better than what we have?
        if score > best:
            best = score
            if score > alpha:
                best_move = move
                if pv_node:
                    extend_pv(worker, ply, move)
                if root:
                    worker.root_best = move
                if score >= beta:
                    worker.cut_count[ply] += 1
                    _learn(board, worker, params, ply, depth, move, quiets, noisies)
                    break
                alpha = score
        if noisy:
            worker.tried[ply, MAX_MOVES - 1 - noisies] = move
            noisies += 1
        else:
            worker.tried[ply, quiets] = move
            quiets += 1

    # Step 12. No legal move: mate or stalemate. Otherwise remember what was found
    if tried == 0:
        if excluded != NO_MOVE:
            return alpha
        return I64(-MATE + ply) if in_check else I64(DRAW)
    if excluded == NO_MOVE and not (root and worker.root_line > 0):
        bound = I64(tt.LOWER) if best >= beta else (I64(tt.EXACT) if best_move != NO_MOVE else I64(tt.UPPER))
        tt.keep(worker, board.key, best_move, best, raw, depth, bound, I64(1) if table_pv else I64(0), ply)
        # The search knows better than the static evaluation: note by how much, unless captures explain it
        quiet_end = best_move == NO_MOVE or not order.is_noisy(board, best_move)
        if (
            not in_check
            and quiet_end
            and not ((bound == tt.LOWER and best <= static) or (bound == tt.UPPER and best >= static))
        ):
            order.learn_correction(board, worker, (best - static) * depth // 8)
    return best
