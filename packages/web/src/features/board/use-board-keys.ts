import { type FocusEvent, type KeyboardEvent, useEffect, useRef } from "react"
import { useBrowser } from "../../session/context/studio.ts"

interface Actions {
  /** Selects the session, or deselects it. */
  onSelect(id: string, options: { upTo: boolean }): void
  onArchive(id: string): void
  onDelete(id: string): void
  onClear(): void
}

/**
 * Returns the key handler of the board. The arrows, and J and K, move between cards; X selects, E archives, and Delete
 * deletes the focused card's session.
 */
export function useBoardKeys({ onSelect, onArchive, onDelete, onClear }: Actions) {
  const hasLetters = useBrowser((state) => state.preferences.single_letter_keys)
  return (event: KeyboardEvent<HTMLElement>) => {
    const { key, target, currentTarget: board } = event
    if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof HTMLElement)) return
    const card = target.closest<HTMLElement>("[data-card]")
    const id = card?.dataset.card
    if (!card || id === undefined || (key.length === 1 && !hasLetters)) return
    const actions: Record<string, () => void> = {
      ArrowDown: () => focus(neighbour(board, card, 1)),
      ArrowUp: () => focus(neighbour(board, card, -1)),
      ArrowRight: () => focus(beside(board, card, 1)),
      ArrowLeft: () => focus(beside(board, card, -1)),
      j: () => focus(neighbour(board, card, 1)),
      k: () => focus(neighbour(board, card, -1)),
      x: () => onSelect(id, { upTo: false }),
      X: () => onSelect(id, { upTo: true }),
      e: () => onArchive(id),
      Delete: () => onDelete(id),
      Escape: onClear,
    }
    const action = actions[key]
    if (!action) return
    event.preventDefault()
    action()
  }
}

/**
 * Keeps the focus on the board when its card moves to another column, or leaves the board: then the card in its place
 * gets it. Returns the board's focus handlers.
 */
export function useKeptFocus() {
  const last = useRef<{ board: HTMLElement; id: string; at: number } | null>(null)
  useEffect(() => {
    if (last.current === null || document.activeElement !== document.body) return
    const { board, id, at } = last.current
    const cards = cardsIn(board)
    focus(cards.find(({ dataset }) => dataset.card === id) ?? cards[at] ?? cards.at(-1))
  })
  return {
    onFocus({ target, currentTarget: board }: FocusEvent<HTMLElement>) {
      const card = target.closest<HTMLElement>("[data-card]")
      if (card?.dataset.card) last.current = { board, id: card.dataset.card, at: cardsIn(board).indexOf(card) }
    },
    onBlur({ currentTarget: board, relatedTarget }: FocusEvent<HTMLElement>) {
      // React doesn't report the removal of a focused card.
      if (!board.contains(relatedTarget)) last.current = null
    },
  }
}

function cardsIn(board: HTMLElement): HTMLElement[] {
  return [...board.querySelectorAll<HTMLElement>("[data-card]")]
}

function focus(card: HTMLElement | undefined): void {
  card?.querySelector<HTMLElement>("a[href]")?.focus()
}

function neighbour(board: HTMLElement, card: HTMLElement, step: 1 | -1): HTMLElement | undefined {
  const cards = cardsIn(board)
  return cards[cards.indexOf(card) + step]
}

/** Returns the card at the same height in the next column that has cards. */
function beside(board: HTMLElement, card: HTMLElement, step: 1 | -1): HTMLElement | undefined {
  const columns = [...board.querySelectorAll<HTMLElement>("[data-column]")]
  const from = columns.findIndex((column) => column.contains(card))
  const others = step === 1 ? columns.slice(from + 1) : columns.slice(0, Math.max(0, from)).reverse()
  const cards = others.map(cardsIn).find((all) => all.length > 0)
  const { top } = card.getBoundingClientRect()
  return cards?.find((one) => one.getBoundingClientRect().bottom > top) ?? cards?.at(-1)
}
