import { useState } from "react"
import { Check, Copy } from "../more-icons.tsx"

export function CodeBlock({ text, language }: { text: string; language: string }) {
  const [copied, setCopied] = useState(false)
  const copy = () => {
    void navigator.clipboard?.writeText(text).then(() => {
      setCopied(true)
      setTimeout(() => setCopied(false), COPIED_MS)
    })
  }
  return (
    <div className="group relative min-w-0">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls is scrolled by keys */}
      <pre tabIndex={0} className="overflow-x-auto rounded-md border border-line bg-well px-3 py-2 font-mono text-xs">
        <code data-language={language || undefined}>{text}</code>
      </pre>
      <button
        type="button"
        onClick={copy}
        aria-label={copied ? "Copied" : "Copy code"}
        title={copied ? "Copied" : "Copy"}
        className="absolute top-1 right-1 inline-flex size-7 items-center justify-center rounded-sm bg-well text-ink-3 opacity-0 group-hover:opacity-100 hover:text-ink focus-visible:opacity-100 pointer-coarse:opacity-100"
      >
        {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      </button>
    </div>
  )
}

const COPIED_MS = 1500
