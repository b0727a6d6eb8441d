import { Button } from "../ui/button.tsx"

/**
 * Shown when the server responds but the page doesn't work: either a part of it is missing because the page is of an
 * earlier version, or it failed with a reason.
 */
export function Broken({ reason }: { reason: string | undefined }) {
  return (
    <main className="mx-auto flex h-full max-w-[52ch] flex-col justify-center gap-3 p-6">
      <h1 className="text-xl">{reason ? "Something went wrong" : "A new version is ready"}</h1>
      <p className="text-ink-2">
        {!reason && "This page is from an earlier version. "}
        Your runs continue, and your drafts are saved.
      </p>
      {reason && <p className="font-mono text-sm text-ink-3">{reason}</p>}
      <div>
        <Button tone="primary" onClick={() => location.reload()}>
          Reload
        </Button>
      </div>
    </main>
  )
}
