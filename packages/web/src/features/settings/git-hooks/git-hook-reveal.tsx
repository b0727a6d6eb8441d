import type { CreatedGitHook } from "@switchyard/core/people/git-hooks/schema"
import { useEffect, useRef, useState } from "react"
import { Button } from "../../../ui/button.tsx"
import { Check, Copy } from "../../../ui/icons.tsx"

/** The address and the secret of a new git hook. The secret is shown this once. */
export function GitHookReveal({ hook, onDone }: { hook: CreatedGitHook; onDone(): void }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const host = hook.kind === "github" ? "GitHub" : "GitLab"
  return (
    <section aria-labelledby="git-hook-secret" className="border-l-4 border-need bg-need-bg px-4 py-4">
      <h2 id="git-hook-secret" ref={heading} tabIndex={-1} className="text-lg">
        Finish it on {host}
      </h2>
      <p className="mt-1 mb-3 text-sm">
        Add a webhook in the repository's settings with this address and secret
        {hook.kind === "github" && ", and JSON as the content type"}. The secret won't be shown again.
      </p>
      <Copied label="Address" text={`${window.location.origin}${hook.path}`} />
      <Copied label="Secret" text={hook.secret} />
      <Button className="mt-1" onClick={onDone}>
        Done
      </Button>
    </section>
  )
}

function Copied({ label, text }: { label: string; text: string }) {
  const [copied, setCopied] = useState<"yes" | "no" | null>(null)
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied("yes"),
      () => setCopied("no"),
    )
  return (
    <div className="mb-3">
      <p className="mb-1 text-sm font-semibold">{label}</p>
      <div className="flex items-start gap-2">
        <code className="min-w-0 flex-1 rounded-md border border-strong bg-sheet px-3 py-2 font-mono text-sm break-all select-all">
          {text}
        </code>
        <Button aria-label={`Copy the ${label.toLowerCase()}`} onClick={copy}>
          {copied === "yes" ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
        </Button>
      </div>
      <span role="status" className="text-sm">
        {copied === "no" && "The browser blocked copying. Select it and copy it yourself."}
      </span>
    </div>
  )
}
