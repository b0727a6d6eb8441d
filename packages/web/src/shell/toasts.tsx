import { clsx } from "clsx"
import { useEffect, useState } from "react"
import { useLocation } from "wouter"
import { type BrowserState, useBrowser, useStudio } from "../session/context/studio.ts"
import { IconButton } from "../ui/button.tsx"
import { X } from "../ui/icons.tsx"

type Toast = BrowserState["toasts"][number]

const STAYS_MS = 6000
const edges = { info: "border-l-info", ok: "border-l-ok", err: "border-l-err" } satisfies Record<Toast["tone"], string>

/**
 * Toasts, in the free part of the header, where they cover nothing and move nothing. The latest one hides the others.
 * The region is always rendered, because screen readers announce changes only in regions that they already know.
 */
export function Toasts() {
  const toasts = useBrowser((state) => state.toasts)
  useErrorsEndWithScreen()
  return (
    <section
      aria-label="Notifications"
      aria-live="polite"
      aria-relevant="additions"
      className="grid min-w-0 flex-1 grid-cols-[minmax(0,420px)] justify-center has-[p]:basis-96"
    >
      {toasts.map((toast) => (
        <ToastLine key={toast.id} toast={toast} />
      ))}
    </section>
  )
}

/** Dismisses errors when the user goes to another screen, because they are about the one that was left. */
function useErrorsEndWithScreen(): void {
  const { browser } = useStudio()
  const [path] = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the path changes
  useEffect(
    () => () => browser.setState(({ toasts }) => ({ toasts: toasts.filter(({ tone }) => tone !== "err") })),
    [browser, path],
  )
}

function ToastLine({ toast }: { toast: Toast }) {
  const { browser } = useStudio()
  const [held, setHeld] = useState(false)
  const close = () => browser.setState(({ toasts }) => ({ toasts: toasts.filter(({ id }) => id !== toast.id) }))
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time runs anew only when it is let go of
  useEffect(() => {
    if (held || toast.tone === "err") return
    const timer = setTimeout(close, STAYS_MS)
    return () => clearTimeout(timer)
  }, [held])

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: being over it, or in it, is no action; the button is
    <div
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      onKeyDown={(event) => event.key === "Escape" && close()}
      className={clsx(
        "col-start-1 row-start-1 flex items-center gap-1 rounded-sm border border-l-4 border-strong bg-sheet pl-2.5 text-sm leading-4 not-last:invisible",
        edges[toast.tone],
      )}
    >
      <p className="max-h-8 min-w-0 flex-1 overflow-y-auto wrap-anywhere max-md:max-h-11 max-md:text-xs">
        {toast.tone === "err" && <span className="unseen">Error: </span>}
        {toast.text}
      </p>
      <IconButton label="Dismiss" onClick={close}>
        <X size={16} aria-hidden />
      </IconButton>
    </div>
  )
}
