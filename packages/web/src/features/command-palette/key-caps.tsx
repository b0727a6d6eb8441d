import { Fragment } from "react"
import { isMac, keyLabels } from "./shortcuts.ts"

export function KeyCaps({ keys }: { keys: string }) {
  return keyLabels(keys, isMac(navigator.platform)).map((chord, at) => (
    <Fragment key={chord.join("+")}>
      {at > 0 && <span className="px-1 text-xs text-ink-3">then</span>}
      <span className="inline-flex gap-0.5 whitespace-nowrap">
        {chord.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </span>
    </Fragment>
  ))
}
