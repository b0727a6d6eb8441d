/** Drawing of a run: one track in, three boxes, and a siding for each file. */
export function TrackPlan() {
  return (
    <figure className="@container m-0">
      <div role="img" aria-label="The planner, the architect and the coder turn a prompt into files.">
        <Plan viewBox="0 0 872 262" className="hidden w-full @min-[740px]:block" />
        <Plan viewBox="456 0 416 262" className="w-full max-w-[440px] @min-[740px]:hidden" />
      </div>
    </figure>
  )
}

const MIDDLE = 112

const boxes = [
  { x: 150, name: "Planner", caption: "5 files", state: "done" },
  { x: 312, name: "Architect", caption: "5 steps", state: "done" },
  { x: 474, name: "Coder", caption: "file 3 of 5", state: "busy" },
] as const

const sidings = [
  { y: 20, file: "index.html", state: "done" },
  { y: 66, file: "style.css", state: "done" },
  { y: 112, file: "app.ts", state: "busy" },
  { y: 158, file: "store.ts", state: "ahead" },
  { y: 204, file: "README.md", state: "ahead" },
] as const

type TrackState = (typeof sidings)[number]["state"]

const strokes = {
  done: "stroke-ok",
  busy: "animate-dashes stroke-accent",
  ahead: "stroke-line",
} satisfies Record<TrackState, string>

function Plan({ viewBox, className }: { viewBox: string; className: string }) {
  return (
    <svg viewBox={viewBox} className={className} fill="none" strokeWidth="2" strokeLinecap="round" aria-hidden="true">
      <Prompt />
      {[110, 272, 434].map((x, at) => (
        <Track key={x} state={at === 2 ? "busy" : "done"} d={`M${x} ${MIDDLE}h40`} />
      ))}
      {/* Drawn in reverse, so that the track in use covers the track ahead. */}
      {sidings.toReversed().map((siding) => (
        <Siding key={siding.file} {...siding} />
      ))}
      {boxes.map((box) => (
        <SignalBox key={box.name} {...box} />
      ))}
      <RunLine />
    </svg>
  )
}

function Track({ d, state }: { d: string; state: TrackState }) {
  return <path d={d} className={strokes[state]} strokeDasharray={state === "busy" ? "7 5" : undefined} />
}

function Prompt() {
  return (
    <g>
      <rect x="1" y="82" width="108" height="60" rx="4" className="fill-sheet stroke-strong" strokeWidth="1" />
      <path d="M14 100h66M14 112h78M14 124h34" className="stroke-line" strokeWidth="3" />
      <path d="M55 118v12" className="stroke-accent" />
    </g>
  )
}

function SignalBox({ x, name, caption, state }: (typeof boxes)[number]) {
  const edge = state === "busy" ? "stroke-accent" : "stroke-ok"
  return (
    <g>
      <rect x={x} y="82" width="122" height="60" rx="4" className={`fill-sheet ${edge}`} />
      <path d={`M${x + 2} 83v58`} strokeWidth="5" strokeLinecap="butt" className={edge} />
      <text x={x + 17} y="107" className="fill-ink text-[15px] font-semibold">
        {name}
      </text>
      <text x={x + 17} y="128" className="fill-ink-2 text-[14px]">
        {caption}
      </text>
      {state === "done" && <path d={`m${x + 98} 102 3.5 3.5 6.5-7.5`} className="stroke-ok" />}
    </g>
  )
}

function Siding({ y, file, state }: (typeof sidings)[number]) {
  const from = 596
  return (
    <g>
      <Track state={state} d={`M${from} ${MIDDLE}h10c46 0 32 ${y - MIDDLE} 82 ${y - MIDDLE}h48`} />
      <FileMark y={y} state={state} />
      <text x="774" y={y + 5} className={`text-[14px] ${state === "ahead" ? "fill-ink-3" : "fill-ink"}`}>
        {file}
      </text>
    </g>
  )
}

/** The end of a siding: a tick, a moving train, or an empty buffer. */
function FileMark({ y, state }: { y: number; state: TrackState }) {
  if (state === "done") return <path d={`m748 ${y + 0.5} 4 4 8-9`} className="stroke-ok" />
  if (state === "busy") return <circle cx="752" cy={y} r="5" className="fill-accent" />
  return <path d={`M744 ${y - 6}v12`} className="stroke-line" />
}

const bars = [
  5, 9, 4, 12, 7, 5, 14, 9, 6, 11, 5, 8, 16, 10, 6, 9, 13, 5, 7, 11, 4, 10, 15, 8, 6, 12, 9, 5, 8, 14, 7, 10, 5, 9,
].map((height, at) => ({ height, at, x: 8 + at * 25.5 }))
const NOW = 27

/** Drawing of the timeline: the higher the bars, the busier the session was. */
function RunLine() {
  return (
    <g>
      <path d="M1 256h870" className="stroke-line" />
      {bars.map(({ height, at, x }) => (
        <path key={x} d={`M${x} 252v${-height}`} strokeWidth="5" strokeLinecap="butt" className={nodeStroke(at)} />
      ))}
      <circle cx={8 + NOW * 25.5 - 12} cy="256" r="5" className="fill-accent" />
    </g>
  )
}

function nodeStroke(at: number): string {
  if (at < 9) return "stroke-info"
  if (at < 15) return "stroke-ink-3"
  return at < NOW ? "stroke-accent" : "stroke-line"
}
