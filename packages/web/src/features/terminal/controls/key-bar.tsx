import { clsx } from "clsx"
import { type KeyName, keyNames } from "./keys.ts"

const words: Partial<Record<KeyName, string>> = {
  "⇧Tab": "Shift Tab",
  "←": "Left",
  "↑": "Up",
  "↓": "Down",
  "→": "Right",
}

/** Keys that phone keyboards lack. They don't take the focus, so that the keyboard stays open. */
export function KeyBar({ ctrl, onCtrl, onKey }: { ctrl: boolean; onCtrl(): void; onKey(key: KeyName): void }) {
  const key =
    "min-h-11 min-w-0 flex-1 border-l border-line text-sm text-ink first:border-l-0 active:bg-well aria-pressed:bg-accent-bg aria-pressed:font-semibold"
  return (
    <div
      role="toolbar"
      aria-label="Keys"
      onPointerDown={(event) => event.preventDefault()}
      className="flex border-t border-line bg-paper md:hidden"
    >
      {keyNames.map((name) => (
        <button
          key={name}
          type="button"
          aria-label={words[name]}
          onClick={() => onKey(name)}
          className={clsx(key, name.length > 3 && "flex-[1.3]")}
        >
          {name}
        </button>
      ))}
      <button
        type="button"
        aria-pressed={ctrl}
        title="Applies to the next key you press"
        onClick={onCtrl}
        className={key}
      >
        Ctrl
      </button>
    </div>
  )
}
