import { type PointerEvent, type RefObject, type SyntheticEvent, useLayoutEffect, useRef } from "react"

/**
 * Shows a `<dialog>` as modal while it is mounted. The platform traps the focus and restores it. If what had the focus is
 * removed too, its region gets the focus. Focuses the first element that matches `focus`. Esc and a press outside the
 * dialog ask to close it.
 */
export function useModal(focus: string, onClose: () => void) {
  const dialog: RefObject<HTMLDialogElement | null> = useRef<HTMLDialogElement>(null)
  // Must be closed before it is unmounted, or the platform wouldn't restore the focus.
  useLayoutEffect(() => {
    const shown = dialog.current
    const region = document.activeElement?.closest<HTMLElement>("[data-region]")
    shown?.showModal()
    shown?.querySelector<HTMLElement>(focus)?.focus()
    return () => {
      shown?.close()
      // Only then is everything removed that is removed together with the dialog.
      queueMicrotask(() => {
        if (document.activeElement === document.body)
          (region?.isConnected ? region : document.getElementById("main"))?.focus()
      })
    }
  }, [focus])
  return {
    ref: dialog,
    onCancel: (event: SyntheticEvent) => {
      event.preventDefault()
      onClose()
    },
    onPointerDown: (event: PointerEvent) => event.target === dialog.current && onClose(),
  }
}
