import { Button } from "../ui/button.tsx"

/** Shown when the server is there, but a part of the studio isn't: the page is of an earlier version. */
export function Outdated() {
  return (
    <main className="mx-auto flex h-full max-w-[52ch] flex-col justify-center gap-3 p-6">
      <h1 className="text-xl">A new version is ready</h1>
      <p className="text-ink-2">
        This page is of an earlier version, and a part of it isn't on the server any more. Runs continue, and drafts are
        stored.
      </p>
      <div>
        <Button tone="primary" onClick={() => location.reload()}>
          Reload
        </Button>
      </div>
    </main>
  )
}
