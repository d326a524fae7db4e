import { list, type Domain } from './types.js';

export const factory: Domain = {
  name: 'factory',
  en: {
    nouns:
      list(`Raw material, Steel coil, Cutting press, Stamping press, Press, Welding robot, Robot arm, Assembly line, Line foreman, Paint shop,
      Drying oven, Lathe, Milling machine, Drill, Injection mould, Mould, Mould store, Quality bench, Gauge, Torque wrench, Hydraulic pump,
      Compressor, Coolant tank, Furnace, Casting, Bearing, Gearbox, Motor, Chassis, Toolroom, Work order, Bill of materials, Kanban card,
      Shift plan, Maintenance crew, Spare part, Scrap bin, PLC, Station 6, Emergency stop, Overhead crane, Packaging line, cut(mm), axis[z]`),
    steps:
      list(`Unwind coil, Cut blank, Stamp part, Weld frame, Grind edge, Paint body, Dry paint, Mount motor, Tighten bolts, Measure part,
      Test assembly, Oil bearing, Drill 8 holes, Scrap part`),
    states: list(
      `Setup, Machining, Jammed, Cooling down, Under maintenance, Calibrated, Stopped, Finished part, Rework`,
    ),
    verbs:
      list(`cuts, welds, assembles, paints, supplies, drives, cools, lubricates, lifts, machines, presses, mounts, calibrates,
      produces, maintains`),
    questions:
      list(`Within tolerance?, Tool worn?, Part scratched?, Is the line stopped?, Pressure above 6 bar?, Weld tight?, Oil low?,
      Paint dry?, Material missing?, Sensor calibrated?`),
    alias: ['BOM', 'Bill of materials'],
  },
  zh: {
    nouns:
      list(`原材料、钢卷、裁切机、冲压机、压机、焊接机器人、机械臂、装配线、线长、喷漆间、烘干炉、车床、铣床、钻床、注塑模、模具、模具库、
      质检台、量规、扭矩扳手、液压泵、空压机、冷却液箱、熔炉、铸件、轴承、齿轮箱、电机、底盘、工具间、工单、物料清单、看板卡、
      排班表、维修班、备件、废料箱、PLC、6 号工位、急停按钮、行车、包装线、cut(mm)、axis[z]`),
    steps:
      list(`展开钢卷、裁切板料、冲压零件、焊接车架、打磨边缘、喷涂车身、烘干油漆、安装电机、拧紧螺栓、测量零件、测试总成、
      润滑轴承、钻 8 个孔、报废零件`),
    states: list(`换型中、加工中、卡料、冷却中、检修中、已校准、已停机、成品、返工`),
    verbs: list(`切割、焊接、装配、喷涂、供应、驱动、冷却、润滑、吊运、加工、压制、安装、校准、生产、保养`),
    questions:
      list(`公差合格？、刀具磨损？、零件划伤？、产线停了？、压力高于 6 巴？、焊缝牢固？、油量低？、油漆已干？、缺少物料？、
      已校准？`),
    alias: ['BOM', '物料清单'],
  },
};
