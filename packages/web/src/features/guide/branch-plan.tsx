/** Drawing of an agent's work: a branch off the main track, and back after a review. */
export function BranchPlan() {
  return (
    <figure className="@container m-0">
      <div
        role="img"
        aria-label="An agent works in a terminal, on its own branch. You review the changes, then merge them into main."
      >
        <Plan viewBox="0 0 872 226" className="hidden w-full @min-[740px]:block" />
        <Plan viewBox="84 0 436 226" className="w-full max-w-[440px] @min-[740px]:hidden" />
      </div>
    </figure>
  )
}

const MAIN = 196
const SIDING = 76

function Plan({ viewBox, className }: { viewBox: string; className: string }) {
  return (
    <svg viewBox={viewBox} className={className} fill="none" strokeWidth="2" strokeLinecap="round" aria-hidden="true">
      <path d={`M1 ${MAIN}h870`} className="stroke-strong" />
      {[32, 86, 396, 520, 664].map((x) => (
        <circle key={x} cx={x} cy={MAIN} r="5" className="fill-paper stroke-strong" />
      ))}
      <text x="26" y={MAIN + 24} className="fill-ink-3 text-[14px]">
        main
      </text>
      <path d={`M120 ${MAIN}c64 0 40 ${SIDING - MAIN} 104 ${SIDING - MAIN}h12`} className="stroke-ok" />
      <Terminal x={236} />
      <path d={`M500 ${SIDING}h52`} strokeDasharray="7 5" className="animate-dashes stroke-accent" />
      <Changes x={552} />
      <path
        d={`M690 ${SIDING}h12c64 0 40 ${MAIN - SIDING} 104 ${MAIN - SIDING}`}
        strokeDasharray="2 7"
        className="stroke-strong"
      />
      <circle cx="806" cy={MAIN} r="6" className="fill-paper stroke-accent" />
      <text x="806" y={MAIN + 24} textAnchor="middle" className="fill-ink-3 text-[14px]">
        you merge
      </text>
    </svg>
  )
}

function Terminal({ x }: { x: number }) {
  return (
    <g>
      <rect {...{ x, y: 18, width: 264, height: 116, rx: 4 }} className="fill-sheet stroke-accent" />
      <path d={`M${x + 2} 19v114`} strokeWidth="5" strokeLinecap="butt" className="stroke-accent" />
      <text x={x + 18} y="44" className="fill-ink text-[15px] font-semibold">
        Agent
      </text>
      <text x={x + 246} y="44" textAnchor="end" className="fill-ink-3 text-[13px]">
        on its own branch
      </text>
      <path d={`M${x + 18} 56h228`} strokeWidth="1" className="stroke-line" />
      <g className="font-mono text-[13px]">
        <text x={x + 18} y="78" className="fill-ink-2">
          ● edit src/list.ts
        </text>
        <text x={x + 18} y="98" className="fill-ink-2">
          ● run npm test
        </text>
        <text x={x + 18} y="118" className="fill-ok">
          ✓ 48 passed
        </text>
      </g>
      <path d={`M${x + 112} 108v12`} className="stroke-accent" />
    </g>
  )
}

function Changes({ x }: { x: number }) {
  return (
    <g>
      <rect {...{ x, y: 42, width: 138, height: 68, rx: 4 }} className="fill-sheet stroke-strong" strokeWidth="1" />
      <text x={x + 16} y="70" className="fill-ink text-[15px] font-semibold">
        Changes
      </text>
      <text x={x + 16} y="93" className="fill-ink-2 text-[14px]">
        3 files
      </text>
      <text x={x + 74} y="93" className="fill-ok text-[14px]">
        +61
      </text>
      <text x={x + 106} y="93" className="fill-err text-[14px]">
        −8
      </text>
    </g>
  )
}
