import { useEffect, useState } from "react"
import { keepBase, keptBase } from "../api/config.ts"
import { paths } from "../session/context/routes.ts"
import { Button } from "../ui/button.tsx"

const EVERY_MS = 1_500

/** Shown while the server can't be reached. Retries automatically. */
export function Unreachable({ reason, retry }: { reason: string; retry(): Promise<void> }) {
  const [trying, setTrying] = useState(false)
  const base = keptBase(localStorage)
  const again = async () => {
    setTrying(true)
    await retry()
    setTrying(false)
  }
  useEffect(() => {
    const timer = setInterval(again, EVERY_MS)
    return () => clearInterval(timer)
  })
  return (
    <main className="mx-auto flex h-full max-w-[52ch] flex-col justify-center gap-3 p-6">
      <h1 className="text-xl">The server can't be reached</h1>
      <p className="text-ink-2">
        <code className="font-mono text-sm">{base || location.origin}</code> isn't responding. Your runs continue on the
        server. This page reconnects automatically.
      </p>
      <p className="font-mono text-sm text-ink-3">{reason}</p>
      <div className="flex flex-wrap gap-2">
        <Button tone="primary" onClick={again} disabled={trying}>
          Try again
        </Button>
        <a
          href={paths.connect()}
          className="inline-flex h-9 items-center rounded-md border border-strong bg-sheet px-3.5 hover:bg-well max-md:min-h-11"
        >
          Connection
        </a>
        {base && (
          <Button
            onClick={() => {
              keepBase(localStorage, "")
              location.reload()
            }}
          >
            Use this page's server
          </Button>
        )}
      </div>
    </main>
  )
}
