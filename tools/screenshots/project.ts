/** What the model of the pictures builds. */
export const PROMPT = "A pricing page with three plans, monthly and yearly prices, and a switch between them"

export const words =
  "The plans come from one list, so that a price is written once. The switch keeps the period in the address, and the cards read it from there. "

export const project: Record<string, string> = {
  "index.html": `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Pricing</title>
    <link rel="stylesheet" href="src/style.css" />
  </head>
  <body>
    <main id="plans"></main>
    <script type="module" src="src/main.tsx"></script>
  </body>
</html>
`,
  "src/plans.ts": `export type Period = "monthly" | "yearly"

export interface Plan {
  name: string
  /** Euros a month, by how they are paid. */
  price: Record<Period, number>
  features: string[]
}

/** Cheapest first: the page shows them in this order. */
export const plans: Plan[] = [
  {
    name: "Solo",
    price: { monthly: 9, yearly: 7 },
    features: ["One project", "Community support"],
  },
  {
    name: "Team",
    price: { monthly: 29, yearly: 24 },
    features: ["Ten projects", "Roles", "Answers within a day"],
  },
  {
    name: "Company",
    price: { monthly: 99, yearly: 82 },
    features: ["Any number of projects", "Single sign-on", "A person to call"],
  },
]

/** What a year costs less when it is paid at once, in per cent. */
export function saving({ price }: Plan): number {
  return Math.round(100 * (1 - price.yearly / price.monthly))
}
`,
  "src/components/plan-switch.tsx": `import type { Period } from "../plans.ts"

interface Props {
  period: Period
  onChange(period: Period): void
}

/** Chooses between paying by the month and by the year. */
export function PlanSwitch({ period, onChange }: Props) {
  const periods: Period[] = ["monthly", "yearly"]
  return (
    <fieldset>
      <legend>How do you want to pay?</legend>
      {periods.map((one) => (
        <label key={one}>
          <input
            type="radio"
            name="period"
            checked={one === period}
            onChange={() => onChange(one)}
          />
          {one}
        </label>
      ))}
    </fieldset>
  )
}
`,
  "src/components/price-card.tsx": `import { type Period, type Plan, saving } from "../plans.ts"

export function PriceCard({ plan, period }: { plan: Plan; period: Period }) {
  return (
    <article>
      <h2>{plan.name}</h2>
      <p>{plan.price[period]} € a month</p>
      {period === "yearly" && <p>{saving(plan)} % less</p>}
      <ul>
        {plan.features.map((feature) => (
          <li key={feature}>{feature}</li>
        ))}
      </ul>
    </article>
  )
}
`,
  "src/style.css": `main {
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr));
  gap: 1rem;
}
`,
  "package.json": `{
  "name": "pricing",
  "type": "module",
  "scripts": { "dev": "vite", "test": "node --test" }
}
`,
  "README.md": `# Pricing

A pricing page with three plans. \`npm run dev\` shows it.
`,
}
