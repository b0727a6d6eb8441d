import type { ReactNode } from "react"
import { Logo } from "../../ui/logo.tsx"

/** Frame of a page shown before the studio, with one question at a time. */
export function Gate({ title, intro, children }: { title: string; intro: ReactNode; children: ReactNode }) {
  return (
    <main className="flex h-full flex-col overflow-y-auto px-4 py-10">
      <div className="m-auto w-full max-w-[420px]">
        <p className="mb-6 flex items-center gap-2.5 text-lg font-semibold">
          <Logo size={26} />
          Switchyard
        </p>
        <div className="rounded-md border border-line bg-sheet p-6 max-md:p-5">
          <h1 className="text-xl">{title}</h1>
          <div className="mt-1 mb-5 text-ink-2">{intro}</div>
          {children}
        </div>
      </div>
    </main>
  )
}
