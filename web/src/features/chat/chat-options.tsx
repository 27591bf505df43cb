import { type Choosable, Picker } from "../../elements/composer/picker";
import { useTexts } from "../../i18n/i18n";
import type { Models } from "../../protocol/api";
import { useModels } from "./api/models";
import type { Choice } from "./use-choice";

interface ChatOptionsProps {
  readonly choice: Choice;
  readonly onChoice: (choice: Choice) => void;
}

/** The choice of model and agent, once the service has said which there are. */
export function ChatOptions({ choice, onChoice }: ChatOptionsProps) {
  const texts = useTexts();
  const { data } = useModels();
  if (data === undefined) return null;
  const agents = data.agents.map((name) => ({ name, label: name }));
  return (
    <Picker
      models={modelsOf(data)}
      agents={agents.length === 0 ? [] : [{ name: null, label: texts.composer.noAgent }, ...agents]}
      model={choice.model}
      agent={choice.agent}
      onModel={(model) => onChoice({ ...choice, model })}
      onAgent={(agent) => onChoice({ ...choice, agent })}
    />
  );
}

/** By what the models are called; the role says which is which when two are called the same. */
function modelsOf({ models, default: standard, names }: Models): readonly Choosable[] {
  const labels = models.map((role) => names[role] ?? role);
  return models.map((role, index) => {
    const label = labels[index] ?? role;
    const ambiguous = labels.filter((other) => other === label).length > 1;
    return { name: role === standard ? null : role, label: ambiguous ? `${label} (${role})` : label };
  });
}
