interface Unit {
  kind: string
  /** The number of base units (°C, m, kg, l) in one of this unit. */
  scale: number
  /** The offset to add after scaling, for units whose zero is elsewhere. */
  offset?: number
}

const units: Record<string, Unit> = {
  c: { kind: "temperature", scale: 1 },
  f: { kind: "temperature", scale: 5 / 9, offset: -160 / 9 },
  k: { kind: "temperature", scale: 1, offset: -273.15 },

  mm: { kind: "length", scale: 0.001 },
  cm: { kind: "length", scale: 0.01 },
  m: { kind: "length", scale: 1 },
  km: { kind: "length", scale: 1000 },
  in: { kind: "length", scale: 0.0254 },
  ft: { kind: "length", scale: 0.3048 },
  yd: { kind: "length", scale: 0.9144 },
  mi: { kind: "length", scale: 1609.344 },

  g: { kind: "weight", scale: 0.001 },
  kg: { kind: "weight", scale: 1 },
  oz: { kind: "weight", scale: 0.028349523125 },
  lb: { kind: "weight", scale: 0.45359237 },

  ml: { kind: "volume", scale: 0.001 },
  l: { kind: "volume", scale: 1 },
  gal: { kind: "volume", scale: 3.785411784 },
}

/** Answers a question such as "20 C to F" with "68 F". */
export function convert(question: string): string {
  const [, amount, from = "", to = ""] =
    question.match(/^\s*(-?\d+(?:\.\d+)?)\s*°?([a-z]+)\s+(?:to|in)\s+°?([a-z]+)\s*$/i) ?? []
  if (amount === undefined) throw new Error('Ask like this: "20 C to F".')

  const source = unit(from)
  const target = unit(to)
  if (source.kind !== target.kind) throw new Error(`${from} is a ${source.kind}, but ${to} is a ${target.kind}.`)

  const base = Number(amount) * source.scale + (source.offset ?? 0)
  const value = (base - (target.offset ?? 0)) / target.scale
  return `${Number(value.toFixed(4))} ${to}`
}

function unit(name: string): Unit {
  const found = Object.hasOwn(units, name.toLowerCase()) && units[name.toLowerCase()]
  if (!found) throw new Error(`There is no unit "${name}" here. There are: ${Object.keys(units).join(", ")}.`)
  return found
}
