import { useTexts } from "../../i18n/i18n";
import { Icon } from "../../ui/icon/icon";
import { Menu, MenuGroup, MenuItem } from "../../ui/menu/menu";
import styles from "./picker.module.css";

/** One that can be chosen. `name` is what the service calls it, and null what it takes by itself. */
export interface Choosable {
  readonly name: string | null;
  readonly label: string;
}

interface PickerProps {
  readonly models: readonly Choosable[];
  readonly agents: readonly Choosable[];
  readonly model: string | null;
  readonly agent: string | null;
  readonly onModel: (name: string | null) => void;
  readonly onAgent: (name: string | null) => void;
}

/** Which model answers, and as which agent. Where there is nothing to choose it only says which model that is. */
export function Picker({ models, agents, model, agent, onModel, onAgent }: PickerProps) {
  const texts = useTexts();
  const chosen = [agent === null ? null : labelOf(agents, agent), labelOf(models, model)];
  const shown = chosen.filter((label) => label !== null).join(" · ");
  if (models.length < 2 && agents.length < 2) return <span className={styles.only}>{shown}</span>;
  return (
    <Menu
      label={texts.composer.modelAndAgent}
      trigger={(props) => (
        <button
          type="button"
          className={styles.picker}
          aria-label={`${texts.composer.modelAndAgent}: ${shown}`}
          title={texts.composer.modelAndAgent}
          {...props}
        >
          <span className={styles.shown}>{shown}</span>
          <Icon name="chevron" size={14} className={styles.chevron} />
        </button>
      )}
    >
      <Choices label={texts.composer.model} all={models} chosen={model} onChoose={onModel} />
      <Choices label={texts.composer.agent} all={agents} chosen={agent} onChoose={onAgent} />
    </Menu>
  );
}

interface ChoicesProps {
  readonly label: string;
  readonly all: readonly Choosable[];
  readonly chosen: string | null;
  readonly onChoose: (name: string | null) => void;
}

function Choices({ label, all, chosen, onChoose }: ChoicesProps) {
  if (all.length < 2) return null;
  return (
    <MenuGroup label={label}>
      {all.map((each) => (
        <MenuItem key={each.name} checked={each.name === chosen} onSelect={() => onChoose(each.name)}>
          {each.label}
        </MenuItem>
      ))}
    </MenuGroup>
  );
}

function labelOf(all: readonly Choosable[], name: string | null): string | null {
  return all.find((each) => each.name === name)?.label ?? name;
}
