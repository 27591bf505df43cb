import type { Phase as PhaseState } from "../../conversation/conversation";
import { useTexts } from "../../i18n/i18n";
import type { Texts } from "../../i18n/texts";
import { Status } from "../status/status";

/** The phase a run is in. */
export function Phase({ phase, since }: { phase: PhaseState; since?: string | undefined }) {
  return <Status text={phaseText(useTexts(), phase)} since={since} />;
}

function phaseText(texts: Texts, { name, totalTools }: PhaseState): string {
  switch (name) {
    case "selecting_tools":
      return texts.phase.selecting_tools(totalTools);
    case "planning":
    case "analyzing":
    case "replanning":
      return texts.phase[name];
    default: // a later service may have phases of which this page knows nothing but the name
      return texts.phase.other(name.replaceAll("_", " "));
  }
}
