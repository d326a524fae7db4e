import { list, type Domain } from './types.js';

export const homeAutomation: Domain = {
  name: 'home-automation',
  en: {
    nouns:
      list(`Hub, Hub bridge, Motion sensor, Door sensor, Window sensor, Smoke detector, Thermostat, Heating, Heat pump, Boiler, Ceiling lamp,
      Desk lamp, Light switch, Dimmer, Smart plug, Roller blind, Garage door, Door lock, Doorbell, Camera, Siren, Speaker, Voice assistant,
      Television, Washing machine, Dishwasher, Fridge, Solar panel, Battery, Power meter, Water meter, Sprinkler, Rain gauge, Robot vacuum,
      Air purifier, Humidifier, Phone app, Wi-Fi router, Zigbee stick, Scene 2, Night mode, Rule engine, on(dusk), lamp[1]`),
    steps:
      list(`Read sensor, Switch on lamp, Close blinds, Lower heating, Lock door, Start vacuum, Send alert, Record clip, Charge battery,
      Water lawn, Open garage, Dim lights, Wait 10 minutes, Arm alarm`),
    states: list(`Switched off, Switched on, Armed, Disarmed, Alarm, Charging, Heating up, Away, Sleeping`),
    verbs:
      list(`switches, senses, controls, alerts, wakes, dims, heats, powers, locks, unlocks, charges, measures, pairs with,
      turns off, listens to`),
    questions:
      list(`Motion detected?, Is it dark?, Window open?, Anyone home?, Battery low?, Warmer than 21?, Rain expected?,
      Smoke detected?, Door locked?, Night mode on?`),
    alias: ['TV', 'Television'],
  },
  zh: {
    nouns:
      list(`中枢、中枢网桥、人体传感器、门磁、窗磁、烟雾报警器、温控器、暖气、热泵、锅炉、吸顶灯、台灯、灯开关、调光器、智能插座、百叶窗、
      车库门、门锁、门铃、摄像头、警笛、音箱、语音助手、电视、洗衣机、洗碗机、冰箱、太阳能板、蓄电池、电表、水表、洒水器、雨量计、
      扫地机器人、空气净化器、加湿器、手机端、Wi-Fi 路由器、Zigbee 网关、场景 2、夜间模式、规则引擎、on(dusk)、lamp[1]`),
    steps:
      list(`读取传感器、打开灯、关闭百叶窗、调低暖气、锁门、启动扫地、发送警报、录制片段、给蓄电池充电、浇草坪、打开车库、
      调暗灯光、等待 10 分钟、布防`),
    states: list(`已关闭、已打开、已布防、已撤防、报警中、充电中、升温中、外出模式、睡眠`),
    verbs: list(
      `开关、感知、控制、提醒、唤醒、调暗、加热、供电给、锁定、解锁、充电给、测量、配对、关闭、监听`,
    ),
    questions: list(
      `有人移动？、天黑了？、窗户开着？、家里有人？、电量低？、高于 21 度？、会下雨？、发现烟雾？、门已锁？、夜间模式开启？`,
    ),
    alias: ['TV', '电视'],
  },
};
